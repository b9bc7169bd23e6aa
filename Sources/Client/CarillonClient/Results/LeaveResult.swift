public import CarillonCore
import CarillonWire

/// The result of leaving a group.
public struct LeaveResult: Hashable, Sendable {
    /// The number of devices that left the group.
    public var left: Int
    /// The indices of the devices that are not registered.
    public var unknown: [Int]

    /// Makes a result as a server answers it, for tests of a program.
    public init(left: Int, unknown: [Int] = []) {
        self.left = left
        self.unknown = unknown
    }

    init(_ answer: MembershipChangeAnswer) {
        self.init(left: Int(answer.changed), unknown: answer.unknown.map { Int($0) })
    }
}
