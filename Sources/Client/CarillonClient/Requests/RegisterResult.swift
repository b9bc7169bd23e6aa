public import CarillonCore

/// The result of a registration.
public struct RegisterResult: Hashable, Sendable {
    /// The device's id, which stays the same when the app gets another token.
    public var id: DeviceID
    /// The effect of the registration.
    public var result: RegisterResultKind

    /// Makes a result as a server answers it, for tests of a program.
    public init(id: DeviceID, result: RegisterResultKind) {
        self.id = id
        self.result = result
    }
}
