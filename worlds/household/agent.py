# The household's agent as a class, for programs that act by its methods. Written for Stepwright; the names are AdaPlanner's, as
# published. A prompt shows the class with its comments and without the bodies of its methods.

class Agent:
    def __init__(self, receptacles):
        self.location = None
        self.holding = None
        self.receptacles = receptacles
        _begun(self)

    # Walks to a receptacle; location follows. Returns what is seen there.
    # Example: goto('shelf 2') returns 'On the shelf 2, you see a book 1, and a pen 3.'
    # Example: goto('safe 1') returns 'The safe 1 is closed.'
    def goto(self, receptacle):
        self.location = receptacle
        return self.observation('go to ' + _str(receptacle))

    # Takes an object from the receptacle where the agent stands, if its hands are free; holding follows.
    # Example: take('pen 3', 'shelf 2') returns 'You pick up the pen 3 from the shelf 2.'
    def take(self, object, receptacle):
        if self.holding is None:
            self.holding = object
            return self.observation('take ' + _str(object) + ' from ' + _str(receptacle))

    # Puts the object that it holds in or on the receptacle where it stands; holding follows.
    # Example: put('pen 3', 'desk 1') returns 'You put the pen 3 in/on the desk 1.'
    def put(self, object, receptacle):
        if self.holding == object:
            self.holding = None
            return self.observation('put ' + _str(object) + ' in/on ' + _str(receptacle))

    # Opens the receptacle where it stands. Returns what is seen inside.
    # Example: open_receptacle('safe 1') returns 'You open the safe 1. The safe 1 is open. In it, you see a watch 1.'
    def open_receptacle(self, receptacle):
        return self.observation('open ' + _str(receptacle))

    # Closes it again.
    # Example: close_receptacle('safe 1') returns 'You close the safe 1.'
    def close_receptacle(self, receptacle):
        return self.observation('close ' + _str(receptacle))

    # Washes the object that it holds in a sinkbasin.
    # Example: clean('plate 1', 'sinkbasin 2') returns 'You clean the plate 1 using the sinkbasin 2.'
    def clean(self, object, receptacle):
        return self.observation('clean ' + _str(object) + ' with ' + _str(receptacle))

    # Heats the object that it holds with a microwave.
    # Example: heat('potato 2', 'microwave 1') returns 'You heat the potato 2 using the microwave 1.'
    def heat(self, object, receptacle):
        return self.observation('heat ' + _str(object) + ' with ' + _str(receptacle))

    # Cools the object that it holds with a fridge.
    # Example: cool('winebottle 1', 'fridge 1') returns 'You cool the winebottle 1 using the fridge 1.'
    def cool(self, object, receptacle):
        return self.observation('cool ' + _str(object) + ' with ' + _str(receptacle))

    # Switches a lamp on.
    # Example: turn_on('floorlamp 1') returns 'You turn on the floorlamp 1.'
    def turn_on(self, object):
        return self.observation('use ' + _str(object))

    # The last three acts with what was seen, where the agent is and what it holds. For the messages of assertions only.
    def report(self):
        return _told(self) + 'Now at ' + _str(self.location) + '; in hand: ' + _str(self.holding) + '.'

    # Not shown in prompts:
    def observation(self, action):
        observation, reward, done, won = _act(action)
        self.add_to_history(action, _seen(observation))
        if done:
            self.is_success = won
        return _seen(observation)

    def add_to_history(self, action, observation):
        self.interaction_history['actions'].append(action)
        self.interaction_history['observations'].append(observation)

def _begun(agent):
    # What the published class has beside what it shows.
    agent.interaction_history = {'actions': [], 'observations': []}
    agent.is_success = False

def _seen(observation):
    # Without the place's number that arrivals begin with.
    if observation.startswith('You arrive at loc '):
        return observation[observation.find('. ') + 2:]
    return observation

def _told(agent):
    told = 'Done last:\n'
    actions, seen = agent.interaction_history['actions'], agent.interaction_history['observations']
    for n in _range(_max(0, _len(actions) - 3), _len(actions)):
        told += 'Action: ' + actions[n] + '\nSeen: ' + seen[n] + '\n'
    return told

def _brought(agent, acts):
    # The agent as it stands after these acts.
    for action, observation in acts:
        if action.startswith('go to '):
            agent.location = action[6:]
        if action.startswith('take ') and agent.holding is None:
            agent.holding = action[5:].split(' from ')[0]
        if action.startswith('put '):
            agent.holding = None
        agent.add_to_history(action, _seen(observation))
    return agent
