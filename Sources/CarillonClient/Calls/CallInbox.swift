import CarillonCore
import Synchronization

/// The orders of tasks for the dispatcher of a client, in their sequence. The event loop takes all of them at once.
final class CallInbox: Sendable {
    /// An order for the dispatcher.
    enum Order {
        case begin(UInt64, Call)
        case cancel(UInt64)
        case observe(ClusterPosition)
        case close(Duration, CheckedContinuation<Void, Never>)
    }

    private struct State {
        var orders: [Order] = []
        var lastCall: UInt64 = 0
        /// True if the next order wakes the event loop; false once one has, or while the loop waits a moment.
        var mustWake = true
    }

    /// The most orders for which memory is kept reserved.
    private static let reservedCount = 4_096

    private let state = Mutex(State())

    /// Adds an order. Returns the id of a new call, and whether the event loop must be woken to take the orders.
    func put(_ order: (_ nextCall: UInt64) -> Order) -> (id: UInt64, mustWake: Bool) {
        state.withLock { state in
            state.lastCall += 1
            state.orders.append(order(state.lastCall))
            defer { state.mustWake = false }
            return (state.lastCall, state.mustWake)
        }
    }

    /// Removes and returns all orders; the next one wakes the event loop.
    func take() -> [Order] {
        state.withLock { state in
            let orders = state.orders
            state.orders = []
            // Usually about as many orders come again.
            state.orders.reserveCapacity(min(orders.count, Self.reservedCount))
            state.mustWake = true
            return orders
        }
    }

    /// Lets no order wake the event loop until the orders are taken, which the caller does soon. Returns false if an
    /// order has woken it meanwhile.
    func holdWakes() -> Bool {
        state.withLock { state in
            defer { state.mustWake = false }
            return state.mustWake
        }
    }
}
