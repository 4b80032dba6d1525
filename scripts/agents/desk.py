"""The desk of orders as plain functions: what the agents of this folder have for tools."""

RULES = "You are the desk of a shop for household goods. Look at an order before you change it. Refund what was paid, no more."
TASK = "Hello, this is Ann. I do not need the lamp any more. Please cancel it and send the money back."


def list_orders(customer: str) -> str:
    """The orders of a customer.

    Args:
        customer: the name
    """
    return '[{"order_id": "W41", "item": "kettle"}, {"order_id": "W42", "item": "lamp"}]'


def get_order(order_id: str) -> str:
    """An order with its status and what was paid.

    Args:
        order_id: the order
    """
    return '{"order_id": "%s", "status": "pending", "paid": 45.0}' % order_id


def cancel_order(order_id: str, reason: str) -> str:
    """Cancels a pending order.

    Args:
        order_id: the order
        reason: why
    """
    return "cancelled"


def refund(order_id: str, amount: float) -> str:
    """Sends money back.

    Args:
        order_id: the order
        amount: how much
    """
    return "refunded"


TOOLS = [list_orders, get_order, cancel_order, refund]
