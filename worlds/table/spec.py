"""The table world as a program: what a person asks and what the robot does about it.

The robot keeps track of where it put things itself; what the person says is kept word for word and not understood here.
"""

SETUP = ['table = Table()', 'person = Person()', 'robot = Robot(table)']
ACTIONS = ['robot.put_first_on_second', 'robot.say', 'robot.noop', 'robot.update_wm', 'robot.done']
OBSERVATIONS = ['table.set_objects', 'table.set_place', 'table.set_cups', 'person.ask']


class Table:
    def __init__(self):
        self.objects = []
        self.places = {}
        self.cups = []

    # Observations

    def set_objects(self, *objects):
        self.objects = list(objects)
        for obj in objects:
            if obj.endswith(' block') or obj.endswith(' cover'):
                self.places[obj] = 'table'

    def set_place(self, obj, place):
        self.places[obj] = place

    def set_cups(self, *cups):
        self.cups = list(cups)

    # Queries

    def is_movable(self, obj):
        return obj in self.places

    def is_target(self, obj):
        return obj == 'table' or obj in self.objects

    def place_of(self, obj):
        return self.places.get(obj)

    def on_top(self, obj):
        for other in self.places:
            if self.is_movable(obj) and self.places[other] == obj:
                return other
        return None

    def is_covered(self, obj):
        top = self.on_top(obj)
        return top != None and top.endswith(' cover')


class Person:
    def __init__(self):
        self.requests = []

    # Observations

    def ask(self, query):
        self.requests.append(query)

    # Queries

    def request(self):
        return self.requests[-1] if self.requests else ''


class Robot:
    def __init__(self, table):
        self.table = table
        self.answers = []

    # Actions

    def put_first_on_second(self, obj, target):
        assert self.table.is_movable(obj), 'unknown object'
        assert self.table.is_target(target), 'unknown target'
        assert obj != target, 'cannot put something on itself'
        assert not self.table.is_covered(obj), 'covered'
        above = self.table.on_top(obj)
        self.table.places[obj] = 'table'
        while above != None:
            self.table.places[above] = 'table'
            above = self.table.on_top(above)
        top = self.table.on_top(target)
        while top != None:
            target = top
            top = self.table.on_top(target)
        self.table.places[obj] = target

    def say(self, text):
        self.answers.append(text)

    def noop(self):
        pass

    def update_wm(self, text):
        pass

    def done(self):
        self.answers = []
