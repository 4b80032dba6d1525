"""A recorded episode of a world that is not known here: actions are texts."""

SETUP = ['agent = Agent()']
ACTIONS = ['agent.act']
OBSERVATIONS = ['agent.see']


class Agent:
    def __init__(self):
        self.seen = ''

    # Observations

    def see(self, text):
        self.seen = text

    # Actions

    def act(self, text):
        assert text != ''
