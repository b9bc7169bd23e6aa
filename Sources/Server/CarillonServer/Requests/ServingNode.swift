package import CarillonWire

/// A node of a cluster, as the requests of clients use it. Delivery uses it as a `DeliveryNode`.
package protocol ServingNode: AnyObject, Sendable {
    /// True if a request may be answered at this moment.
    var mayAct: Bool { get }
    /// The node as HELLO shows it; nil before it has joined a log.
    var helloNode: HelloAnswer.AnnouncedNode? { get }
    /// The position of the last entry of the shared log that was applied.
    var position: UInt64 { get }
    /// Calls `completion`, on any thread: with true when that entry was applied, or with false if a bounded time is
    /// over first.
    func awaitPosition(_ position: UInt64, _ completion: @escaping @Sendable (Bool) -> Void)
    /// Ends the incarnation of another node; `completion` gets that incarnation, or why it is not over, on any thread.
    func remove(_ name: String, _ completion: @escaping @Sendable (Result<UInt64, RequestError>) -> Void)
}
