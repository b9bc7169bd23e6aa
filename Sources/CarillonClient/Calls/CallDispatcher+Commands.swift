import CarillonSession
import NIOCore

/// The way of orders from the tasks to the dispatcher.
extension CallDispatcher {
    /// Takes and carries out the orders of the tasks.
    func takeOrders() {
        let orders = inbox.take()
        for order in orders {
            switch order {
            case .begin(let id, let call): begin(id, call)
            case .cancel(let id): cancel(id)
            case .observe(let position): observe(position)
            case .close(let limit, let continuation): close(limit, continuation)
            }
        }
        orderPacing.ordersTaken(orders.count, callsUnderWay: calls.count)
        if orderPacing.isWaiting { waitForOrders() }
    }

    /// Takes the next orders after a moment; until then none of them wakes the event loop.
    private func waitForOrders() {
        guard inbox.holdWakes() else { return }
        let wait = TimeAmount.microseconds(OrderPacing.waitMicroseconds)
        eventLoop.assumeIsolated().scheduleTask(in: wait) { [weak self] in self?.takeOrders() }
    }
}
