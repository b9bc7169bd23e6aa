import CarillonCluster
import Synchronization

/// The claims of a node as it knows them. `DeliveryService` owns the state, and only `ClaimOperations` uses it.
final class ClaimState: Sendable {
    let known = Mutex(KnownClaims())
    /// The rule for messages without a sender. It has a lock of its own, because it looks at thousands of messages at
    /// once.
    let takeOver = Mutex(TakeOverRule())
    /// True while a look at what is to be claimed waits for its turn.
    let isPlanning = Atomic<Bool>(false)
    /// True while claims of messages without a sender are on their way.
    let isTakingOver = Atomic<Bool>(false)
}
