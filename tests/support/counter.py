SETUP = ['env = Environment()', 'agent = Agent(env)']
ACTIONS = ['agent.add']
OBSERVATIONS = ['agent.set_total']


class Environment:
    def __init__(self):
        self.limit = 10


class Agent:
    def __init__(self, env):
        self.env = env
        self.total = 0

    def set_total(self, total):
        self.total = total

    def add(self, n):
        assert self.total + n <= self.env.limit
        assert n < 5
