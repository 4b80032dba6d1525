SETUP = ['clock = Clock()']
ACTIONS = ['clock.ring']
OBSERVATIONS = ['clock.tick', 'clock.turn', 'clock.change', 'clock.keep']

turns = 0

class Slow:
    pass

class Fast:
    pass

class Clock:
    ticks = 0
    def __init__(self):
        self.mode = Slow()
    def tick(self):
        Clock.ticks += 1
    def turn(self):
        global turns
        turns += 1
    def change(self):
        self.mode = Fast()
    def keep(self, kept=[]):
        kept.append(1)
        return len(kept)
    def ring(self):
        assert False
