# The agent as a class in worlds that have none of their own.

class Agent:
    def __init__(self, things):
        self.things = things
        self._acts = []

    # Does an action, given as its text. Returns what is seen then.
    def do(self, action):
        seen = _act(_str(action))[0]
        self._acts.append([action, seen])
        return seen

    # The last three acts with what was seen. For the messages of assertions only.
    def report(self):
        return 'Done last:' + ''.join(['\nAction: ' + _str(action) + '\nSeen: ' + seen for action, seen in self._acts[-3:]])

def _brought(agent, acts):
    agent._acts.extend(acts)
    return agent
