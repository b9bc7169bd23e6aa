import CarillonCluster
import Synchronization

/// The claims of a node as it knows them. `DeliveryService` owns the state, and only `ClaimOperations` uses it.
final class ClaimState: Sendable {
    let known = Mutex(KnownClaims())
    /// The rule for messages without a sender. It has a lock of its own, because it looks at thousands of messages at
    /// once.
    let takeOver = Mutex(TakeOverRule())
    /// True while a plan of claims waits for its turn on the event loop.
    let isPlanScheduled = Atomic<Bool>(false)
    /// True while the node looks for messages without a sender, and until its claims are answered.
    let isTakingOver = Atomic<Bool>(false)
}
