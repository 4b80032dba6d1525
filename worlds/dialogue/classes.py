class USER:
    def __init__(self):
        self.informed_intent = defaultdict(lambda: False)
        self.informed_slot = defaultdict(lambda: False)
        self.requested_slot = defaultdict(lambda: False)
        self.no_more = False
        self.selected = False
        self.affirmed = False
        self.affirm_intent = False
        self.negate_intent = False
        self.request_alternatives = False

    # Observations

    def INFORM_INTENT(self, intent):
        self.informed_intent[intent] = True

    def NEGATE_INTENT(self):
        self.negate_intent = True

    def AFFIRM_INTENT(self):
        self.affirm_intent = True

    def REQUEST_ALTS(self):
        self.request_alternatives = True

    def INFORM(self, slot):
        self.informed_slot[slot] = True

    def REQUEST(self, slot):
        self.requested_slot[slot] = True

    def GOODBYE(self):
        self.no_more = True

    def THANK_YOU(self):
        self.no_more = True

    def SELECT(self):
        self.selected = True

    def AFFIRM(self):
        self.affirmed = True

    def NEGATE(self):
        self.affirmed = False


class SYSTEM:
    def __init__(self, user):
        self.user = user
        self.query_success = None

    # Observations

    def set_query_status(self, status):
        self.query_success = status

    # Actions
