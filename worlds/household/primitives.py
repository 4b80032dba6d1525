# Primitive functions of the household, written for Stepwright: what functions of skills are written over.

# All that was done and seen: lists of an action and what was seen then; the first has no action.
history = [['', observation]]

# Does an action and gives what is seen then, and whether the whole task is done.
def interact_with_environment(action):
    observations, rewards, dones, info = env.step([action])
    history.append([action, observations[0]])
    return observations[0], info['won'][0]

# The following give the text of an action, to be done by interact_with_environment.
# go('shelf 2') => 'go to shelf 2'
def go(location):
    return 'go to ' + location

# open('drawer 1') => 'open drawer 1'
def open(object):
    return 'open ' + object

# close('drawer 1') => 'close drawer 1'
def close(object):
    return 'close ' + object

# take('mug 1', 'shelf 2') => 'take mug 1 from shelf 2'
def take(object, location):
    return 'take ' + object + ' from ' + location

# put('mug 1', 'shelf 2') => 'put mug 1 in/on shelf 2'
def put(object, location):
    return 'put ' + object + ' in/on ' + location

# clean('mug 1', 'sinkbasin 1') => 'clean mug 1 with sinkbasin 1'
def clean(object, sinkbasin):
    return 'clean ' + object + ' with ' + sinkbasin

# heat('mug 1', 'microwave 1') => 'heat mug 1 with microwave 1'
def heat(object, microwave):
    return 'heat ' + object + ' with ' + microwave

# cool('mug 1', 'fridge 1') => 'cool mug 1 with fridge 1'
def cool(object, fridge):
    return 'cool ' + object + ' with ' + fridge

# use('desklamp 1') => 'use desklamp 1'
def use(desklamp):
    return 'use ' + desklamp

# Whether what was seen says that a place is closed.
def isclose(observation):
    return 'is closed' in observation

# Whether what was seen names a thing.
def is_in(object, observation):
    return object in observation

# The first thing of a kind with its number: extract_pattern('a cup 1, and a mug 2', 'mug') => 'mug 2'
def extract_pattern(input_str, object_name):
    match = re.search(r'\b' + object_name + r' \d+', input_str)
    return match.group() if match else 'No match found.'
