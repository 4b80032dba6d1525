# Primitives and skills of the household as functions, written for Stepwright. env.step([action]) acts; see docs/explanation/sandbox.md.

def go(place):
    return 'go to ' + place

def open_up(place):
    return 'open ' + place

def take(thing, place):
    return 'take ' + thing + ' from ' + place

def put(thing, place):
    return 'put ' + thing + ' in/on ' + place

def treat(verb, thing, place):
    return verb + ' ' + thing + ' with ' + place

def use(thing):
    return 'use ' + thing

def examine(place):
    return 'examine ' + place

def interact_with_environment(action):
    observations, rewards, dones, info = env.step([action])
    return observations[0], info['won'][0]

def specific_name(kind, observation):
    # A whole word with its number: no cupboard for a cup.
    if kind not in observation:
        return None
    match = re.search(r'\b' + kind + r' \d+', observation)
    return match.group() if match else None

def places_in(observation):
    # What stands open comes before what has to be opened.
    places = re.findall(r'[a-z]+ \d+', observation)
    closed = ['cabinet', 'drawer', 'safe']
    return [p for p in places if p.split()[0] not in closed] + [p for p in places if p.split()[0] in closed]

def first_of(kind, places):
    for place in places:
        if place.split()[0] == kind:
            return place
    return None

def look_at(place):
    observation, won = interact_with_environment(go(place))
    if 'Nothing happens' in observation:
        # It is reached from where the agent stands already.
        observation, won = interact_with_environment(examine(place))
    if 'is closed' in observation:
        observation, won = interact_with_environment(open_up(place))
    return observation

def find_object(kind, places):
    for place in places:
        thing = specific_name(kind, look_at(place))
        if thing is not None:
            return thing, place
    return None, None

def take_object(thing, place):
    return interact_with_environment(take(thing, place))

def treat_object(verb, thing, appliance):
    interact_with_environment(go(appliance))
    return interact_with_environment(treat(verb, thing, appliance))

def put_object(thing, place):
    look_at(place)
    observation, won = interact_with_environment(put(thing, place))
    return won

def use_object(kind, places):
    thing, place = find_object(kind, places)
    if thing is None:
        return False
    observation, won = interact_with_environment(use(thing))
    return won

def fetch(kind, places):
    thing, place = find_object(kind, places)
    assert thing is not None, 'no ' + kind + ' was found'
    take_object(thing, place)
    return thing

def solve(task, observation):
    # The base policy: which skills a task asks for, by its words.
    places = places_in(observation.split('Your task')[0])
    small = 'put a an some two find and it them in on in/on the look at examine under with clean heat cool hot to'.split()
    words = task.lower().replace('.', ' ').split()
    wanted = [word for word in words if word not in small]
    assert len(wanted) >= 2, 'the task names no thing and no place: ' + task
    kind, target = wanted[0], wanted[-1]
    if 'under' in words or 'with' in words:
        fetch(kind, places)
        return use_object(target, places)
    goal = first_of(target, places)
    assert goal is not None, 'there is no ' + target
    thing = fetch(kind, [place for place in places if place.split()[0] != target] + [goal])
    if 'clean' in words:
        treat_object('clean', thing, first_of('sinkbasin', places))
    if 'hot' in words or 'heat' in words:
        treat_object('heat', thing, first_of('microwave', places))
    if 'cool' in words:
        treat_object('cool', thing, first_of('fridge', places))
    won = put_object(thing, goal)
    if 'two' in words and not won:
        won = put_object(fetch(kind, [place for place in places if place != goal]), goal)
    return won
