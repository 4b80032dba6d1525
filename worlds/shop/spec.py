"""The shop as a program: what the buyer can do on a page and what the page shows.

What can be clicked is what the page shows; the site lets a buyer click a few things more (docs/reference/shop.md).
"""

SETUP = ['shop = Shop()', 'buyer = Buyer(shop)']
ACTIONS = ['buyer.search', 'buyer.click', 'buyer.think']
OBSERVATIONS = ['shop.set_form', 'shop.show_page', 'shop.show_result', 'shop.show_option', 'shop.show_product', 'shop.show_text', 'shop.choose', 'shop.score']


class Shop:
    def __init__(self):
        self.form = 'site'
        self.page = 'search'
        self.clickable = []
        self.results = []
        self.prices = {}
        self.options = {}
        self.chosen = {}
        self.title = ''
        self.price = 0.0
        self.texts = []
        self.reward = None

    # Observations

    def set_form(self, form):
        self.form = form

    def show_page(self, page, *clickable):
        self.page = page
        self.clickable = list(clickable)
        self.results = []
        self.options = {}
        self.texts = []
        if page != 'item' and page != 'about':
            self.chosen = {}

    def show_result(self, number, title, price):
        self.results.append(number)
        self.prices[number] = price

    def show_option(self, name, *values):
        self.options[name] = list(values)

    def show_product(self, title, price):
        self.title = title
        self.price = price

    def show_text(self, text):
        self.texts.append(text)

    def choose(self, name, value):
        self.chosen[name] = value

    def score(self, reward):
        self.reward = reward

    # Queries

    def can_search(self):
        return self.page == 'search' or self.form != 'site'

    def is_clickable(self, text):
        if self.form != 'site':
            text = text.lower()
        return text in self.clickable

    def is_chosen(self, name):
        return name in self.chosen


class Buyer:
    def __init__(self, shop):
        self.shop = shop

    # Actions

    def search(self, query):
        assert self.shop.can_search(), 'Need to be on the search page'

    def click(self, text):
        assert self.shop.is_clickable(text), 'The page does not show it'

    def think(self, text):
        assert self.shop.form == 'site', 'Only the site takes thoughts'
