"""The household world as a program: what the agent can do and what it observes.

The classes are those of Figure 5 of "Reasoning about Action Preconditions with Programs", with the true preconditions.
"""

from collections import defaultdict

SETUP = ['env = Environment()', 'agent = Agent(env)']
ACTIONS = ['agent.goto', 'agent.open', 'agent.close', 'agent.take', 'agent.put', 'agent.clean', 'agent.heat', 'agent.cool', 'agent.toggle']
OBSERVATIONS = ['agent.update_visible_objects', 'agent.add_inventory', 'agent.remove_inventory', 'env.set_property']


class Environment:
    def __init__(self):
        self.object_states = defaultdict(lambda: False)

    def set_property(self, obj, property, value):
        self.object_states[(obj, property)] = value

    def get_property(self, obj, property):
        return self.object_states[(obj, property)]


class Agent:
    def __init__(self, env):
        self.env = env
        self.inventory = None
        self.visible_objects = set()

    # Observations

    def add_inventory(self, obj):
        self.inventory = obj

    def remove_inventory(self, obj):
        self.inventory = None

    def update_visible_objects(self, *args):
        self.visible_objects.update(list(args))

    # Queries

    def is_visible(self, obj):
        return obj in self.visible_objects

    # Actions

    def goto(self, recep):
        assert self.is_visible(recep)

    def open(self, recep):
        assert self.is_visible(recep)
        assert self.env.get_property(recep, 'open') == False

    def close(self, recep):
        assert self.is_visible(recep)
        assert self.env.get_property(recep, 'open') == True

    def take(self, obj, recep):
        assert self.is_visible(obj)
        assert self.is_visible(recep)
        assert self.inventory == None, 'Can only hold one object at a time'

    def put(self, obj, recep):
        assert self.inventory == obj, 'Need to be holding the object'
        assert self.is_visible(recep)

    def clean(self, obj, recep):
        assert self.is_visible(recep)
        assert self.inventory == obj, 'Need to be holding the object'
        assert 'sink' in recep

    def heat(self, obj, recep):
        assert self.is_visible(recep)
        assert self.inventory == obj, 'Need to be holding the object'
        assert 'microwave' in recep

    def cool(self, obj, recep):
        assert self.is_visible(recep)
        assert self.inventory == obj, 'Need to be holding the object'
        assert 'fridge' in recep

    def toggle(self, obj):
        assert self.is_visible(obj)
