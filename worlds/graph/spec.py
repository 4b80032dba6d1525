"""The household graph as a program: what the person can do and what it observes.

The assertions are the simulator's checks as far as they are about what the person is told; those about the kinds of things are left out.
"""

SETUP = ['home = Home()', 'person = Person(home)']
ACTIONS = ['person.walk', 'person.run', 'person.find', 'person.greet', 'person.sit', 'person.standup', 'person.grab', 'person.open', 'person.close', 'person.putback', 'person.putin', 'person.putobjback', 'person.switchon', 'person.switchoff', 'person.drink', 'person.turnto', 'person.lookat', 'person.pointat', 'person.watch', 'person.wipe', 'person.wash', 'person.rinse', 'person.scrub', 'person.puton', 'person.putoff', 'person.drop', 'person.release', 'person.read', 'person.touch', 'person.lie', 'person.pour', 'person.type', 'person.push', 'person.pull', 'person.move', 'person.squeeze', 'person.plugin', 'person.plugout', 'person.cut', 'person.eat', 'person.sleep', 'person.wakeup']
OBSERVATIONS = ['home.set_states', 'home.set_place', 'person.be_in', 'person.be_near', 'person.hold', 'person.face', 'person.rest']


class Home:
    def __init__(self):
        self.states = {}
        self.places = {}

    # Observations

    def set_states(self, obj, *states):
        self.states[obj] = states

    def set_place(self, obj, how, place):
        self.places[obj] = (how, place)

    # Queries

    def is_in_state(self, obj, state):
        return obj in self.states and state in self.states[obj]

    def place_of(self, obj):
        return self.places.get(obj)


class Person:
    def __init__(self, home):
        self.home = home
        self.room = None
        self.near = ()
        self.held = ()
        self.faced = ()
        self.posture = 'standing'

    # Observations

    def be_in(self, room):
        self.room = room

    def be_near(self, *objs):
        self.near = objs

    def hold(self, *objs):
        self.held = objs

    def face(self, *objs):
        self.faced = objs

    def rest(self, posture):
        self.posture = posture

    # Queries

    def is_near(self, obj):
        return obj in self.near

    def is_holding(self, obj):
        return obj in self.held

    # Actions

    def walk(self, obj):
        assert self.posture == 'standing', 'Need to stand up first'

    def run(self, obj):
        assert self.posture == 'standing', 'Need to stand up first'

    def find(self, obj):
        pass

    def greet(self, obj):
        pass

    def sit(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert self.posture != 'sitting', 'Already sitting'

    def standup(self):
        assert self.posture != 'standing', 'Need to sit or lie'

    def grab(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert len(self.held) < 2, 'Need a free hand'

    def open(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert len(self.held) < 2, 'Need a free hand'
        assert self.home.is_in_state(obj, 'closed')

    def close(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert self.home.is_in_state(obj, 'open')

    def putback(self, obj, place):
        assert obj in self.held, 'Need to hold it'
        assert self.is_near(place), 'Need to be close to it'

    def putin(self, obj, place):
        assert obj in self.held, 'Need to hold it'
        assert self.is_near(place), 'Need to be close to it'

    def putobjback(self, obj):
        assert obj in self.held, 'Need to hold it'

    def switchon(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert self.home.is_in_state(obj, 'off')

    def switchoff(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert self.home.is_in_state(obj, 'on')

    def drink(self, obj):
        assert obj in self.held, 'Need to hold it'

    def turnto(self, obj):
        pass

    def lookat(self, obj):
        assert obj in self.faced, 'Need to turn to it first'

    def pointat(self, obj):
        assert obj in self.faced, 'Need to turn to it first'

    def watch(self, obj):
        assert obj in self.faced, 'Need to turn to it first'

    def wipe(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert self.held, 'Need to hold something'

    def wash(self, obj):
        assert self.is_near(obj), 'Need to be close to it'

    def rinse(self, obj):
        assert self.is_near(obj), 'Need to be close to it'

    def scrub(self, obj):
        assert self.is_near(obj), 'Need to be close to it'

    def puton(self, obj):
        assert obj in self.held, 'Need to hold it'

    def putoff(self, obj):
        pass

    def drop(self, obj):
        assert obj in self.held, 'Need to hold it'

    def release(self, obj):
        assert obj in self.held, 'Need to hold it'

    def read(self, obj):
        assert obj in self.held, 'Need to hold it'

    def touch(self, obj):
        assert self.is_near(obj), 'Need to be close to it'

    def lie(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert self.posture != 'lying', 'Already lying'

    def pour(self, obj, place):
        assert obj in self.held, 'Need to hold it'
        assert self.is_near(place), 'Need to be close to it'

    def type(self, obj):
        assert self.is_near(obj), 'Need to be close to it'

    def push(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert len(self.held) < 2, 'Need a free hand'

    def pull(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert len(self.held) < 2, 'Need a free hand'

    def move(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert len(self.held) < 2, 'Need a free hand'

    def squeeze(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert len(self.held) < 2, 'Need a free hand'

    def plugin(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert len(self.held) < 2, 'Need a free hand'
        assert self.home.is_in_state(obj, 'plugged_out')

    def plugout(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert len(self.held) < 2, 'Need a free hand'
        assert self.home.is_in_state(obj, 'plugged_in')

    def cut(self, obj):
        assert self.is_near(obj), 'Need to be close to it'
        assert len(self.held) < 2, 'Need a free hand'

    def eat(self, obj):
        assert self.is_near(obj), 'Need to be close to it'

    def sleep(self):
        assert self.posture != 'standing', 'Need to sit or lie'

    def wakeup(self):
        assert self.posture != 'standing', 'Need to sit or lie'
