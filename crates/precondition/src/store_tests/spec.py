from collections import defaultdict

SETUP = ['room = Room()', 'robot = Robot(room)']
ACTIONS = ['robot.light', 'robot.grab', 'robot.rest']
OBSERVATIONS = ['robot.see', 'robot.hold', 'room.switch']

class Room:
    def __init__(self):
        self.lit = defaultdict(lambda: False)
    def switch(self, lamp, on):
        self.lit[lamp] = on

class Robot:
    def __init__(self, room):
        self.room = room
        self.seen = set()
        self.hand = None
    def see(self, *names):
        self.seen.update(names)
    def hold(self, thing):
        if self.hand is not None:
            raise ValueError('full')
        self.hand = thing
    def knows(self, name):
        return name in self.seen
    def light(self, lamp):
        assert False, 'never looked at'
    def grab(self, thing):
        assert False
    def rest(self):
        assert False
