# The shop's functions that are answered beside it, as prompts show them to all who write programs. Written for Stepwright; a language
# model answers search, extract_requirement and select_most_relevant_attibutes, the program itself the other two.

def search(instruction):
    # The search that fits an instruction.
    # Example: search('i want a green desk lamp, and price lower than 30.00 dollars') gives 'search[green desk lamp]'
    ...

def extract_requirement(instruction):
    # What an instruction asks for, a text each, the price among them.
    # Example: extract_requirement('i want a green desk lamp, and price lower than 30.00 dollars')
    # gives ['green', 'desk lamp', 'price lower than 30.00 dollars']
    ...

def requirement_match_check(item_description, requirement):
    # Whether the line of a product among the results meets a requirement.
    # Example: requirement_match_check('Brightholm Desk Lamp, Green $24.50', 'green') gives True
    ...

def parse_items_observation_into_items_dict(items_observation):
    # The products on a page of results by their numbers.
    # Example: parse_items_observation_into_items_dict('[S0AAAAAAA1] Brightholm Desk Lamp, Green $24.50 [S0AAAAAAA2] Lamp, Red $9.99')
    # gives {'S0AAAAAAA1': 'Brightholm Desk Lamp, Green $24.50', 'S0AAAAAAA2': 'Lamp, Red $9.99'}
    ...

def select_most_relevant_attibutes(item_description, requirements):
    # The choices on a product's page that are to be clicked for these requirements, as they stand there.
    # Example: select_most_relevant_attibutes('color [green][red]\nBrightholm Desk Lamp', ['green', 'desk lamp']) gives ['green']
    ...
