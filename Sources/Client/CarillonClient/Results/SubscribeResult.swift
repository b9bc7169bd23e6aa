public import CarillonCore
import CarillonWire

/// The result of subscribing or unsubscribing.
public struct SubscribeResult: Hashable, Sendable {
    /// The number of subscriptions that are new or gone.
    public var changed: Int
    /// The indices of the devices that are not registered.
    public var unknown: [Int]

    /// Makes a result as a server answers it, for tests of a program.
    public init(changed: Int, unknown: [Int] = []) {
        self.changed = changed
        self.unknown = unknown
    }

    init(_ answer: MembershipChangeAnswer) {
        self.init(changed: Int(answer.changed), unknown: answer.unknown.map { Int($0) })
    }
}
