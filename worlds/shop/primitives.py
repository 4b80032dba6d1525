# Primitive functions of the shop, written for Stepwright: what functions of skills are written over. The variable task is the instruction.

# All that was done and seen: lists of an action and the page that it led to; the first has no action.
history = [['', observation]]

# Does an action and gives the page that it leads to, and the reward.
def interact_with_environment(action):
    observation, reward, done = env.step(env_id, action)
    history.append([action, observation])
    return observation, reward

# The following give the text of an action, to be done by interact_with_environment.
# select('S000000001') => 'click[S000000001]'
def select(item_number):
    return 'click[' + item_number + ']'

# click('navy blue') => 'click[navy blue]', click('Features') => 'click[Features]'
def click(feature):
    return 'click[' + feature + ']'

def buy():
    return 'click[Buy Now]'

# There are these functions too, whose code is not shown:
# search(instruction): the action that searches for what an instruction wants.
#     search('i want a red wool scarf, and price lower than 30.00 dollars') => 'search[red wool scarf]'
# extract_requirement(instruction): its requirements, a list of texts.
#     extract_requirement('i want a red wool scarf, and price lower than 30.00 dollars') => ['red', 'wool scarf', 'price lower than 30.00 dollars']
# requirement_match_check(item_description, requirement): whether a description meets a requirement.
#     requirement_match_check('Merrow Wool Scarf, Red $21.99', 'red') => True
# parse_items_observation_into_items_dict(items_observation): the results of a page, descriptions by item number.
#     parse_items_observation_into_items_dict('[S000000001] Merrow Wool Scarf, Red $21.99') => {'S000000001': 'Merrow Wool Scarf, Red $21.99'}
# select_most_relevant_attibutes(item_description, requirements): the options of a product's page to be clicked, a list of texts.
#     select_most_relevant_attibutes('color [red][blue] Merrow Wool Scarf', ['red', 'wool scarf']) => ['red']
