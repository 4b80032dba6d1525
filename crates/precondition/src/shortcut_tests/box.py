from collections import defaultdict

SETUP = ['box = Box()']
ACTIONS = ['box.use', 'box.shake']
OBSERVATIONS = ['box.put', 'box.count', 'box.look']

class Box:
    def __init__(self):
        self.flags = defaultdict(lambda: False)
        self.counts = defaultdict(int)
        self.lists = defaultdict(list)
        self.moody = defaultdict(self.mood)
        self.plain = {}
        self.level = 0
    def mood(self):
        return self.level
    def put(self, key):
        self.flags[key] = True
        self.plain[key] = len(key)
    def count(self, key):
        self.counts[key] += 1
    def look(self):
        self.level = len(self.flags)
    def bump(self):
        self.level += 1
    def fail(self):
        assert self.level > 1, 'low'
        return self.flags['a']
    def use(self, key):
        assert False
    def shake(self, key):
        assert self.flags[key]
