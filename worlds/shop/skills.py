# Primitives and skills of the shop as functions, written for Stepwright. env.step(id, action) acts; search, extract_requirement,
# requirement_match_check, parse_items_observation_into_items_dict and select_most_relevant_attibutes are answered by the program.

def click(text):
    return 'click[' + text + ']'

def buy():
    return click('Buy Now')

def interact_with_environment(action):
    observation, reward, done = env.step(env_id, action)
    return observation, reward

def select_item(items, requirements):
    # The first of those that meet most requirements; results come in the order of the search.
    best, most = None, -1
    for number in items:
        met = 0
        for requirement in requirements:
            if requirement_match_check(items[number], requirement):
                met += 1
        if met > most:
            best, most = number, met
    return best

def solve(task, observation):
    # The base policy: search, choose a product, choose its options, buy.
    instruction = task.strip()
    page, reward = interact_with_environment(search(instruction))
    requirements = extract_requirement(instruction)
    items = parse_items_observation_into_items_dict(page)
    assert items, 'the search found nothing'
    page, reward = interact_with_environment(click(select_item(items, requirements)))
    for choice in select_most_relevant_attibutes(page, requirements):
        interact_with_environment(click(choice))
    page, reward = interact_with_environment(buy())
    return reward
