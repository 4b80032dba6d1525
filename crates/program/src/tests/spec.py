from collections import defaultdict

SETUP = ['env = World()', 'agent = Agent(env)']
ACTIONS = ['agent.take', 'agent.wait']
OBSERVATIONS = ['agent.see', 'env.mark']


class World:
    def __init__(self):
        self.marks = defaultdict(lambda: False)

    def mark(self, thing, value):
        self.marks[(thing, 'seen')] = value


class Agent:
    def __init__(self, env):
        self.env = env
        self.held = None
        self.visible = set()

    def see(self, *things):
        self.visible.update(things)

    def can_see(self, thing):
        return thing in self.visible

    def take(self, thing, place):
        assert self.can_see(thing), 'not in sight'
        assert self.held is None
        self.held = thing

    def wait(self):
        pass
