/// What a condition means and how many devices it holds for now (EXPLAIN, Protocol 10.1).
public struct Explanation: Hashable, Sendable {
    /// One of the sets that the condition names.
    public struct Term: Hashable, Sendable {
        /// The set as a condition of its own.
        public var set: String
        /// Devices in it.
        public var devices: UInt64

        /// Makes one.
        public init(set: String, devices: UInt64) {
            self.set = set
            self.devices = devices
        }
    }

    /// The condition in its canonical form.
    public var condition: String
    /// Devices that it holds for, muted ones included.
    public var devices: UInt64
    /// The sets, in the order in which the condition names them.
    public var terms: [Term]

    /// Makes an explanation.
    public init(condition: String, devices: UInt64, terms: [Term]) {
        self.condition = condition
        self.devices = devices
        self.terms = terms
    }
}
