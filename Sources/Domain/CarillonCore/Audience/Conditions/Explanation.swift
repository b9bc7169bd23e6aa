/// A parsed condition with the number of devices for which it holds now (EXPLAIN, Protocol 9.4).
public struct Explanation: Hashable, Sendable {
    /// One of the sets that the condition names.
    public struct Term: Hashable, Sendable {
        /// The set as a condition of its own.
        public var set: String
        /// The number of devices in the set.
        public var devices: UInt64

        /// Makes a term; `set` must be a condition in canonical form that consists of one set.
        public init(set: String, devices: UInt64) {
            self.set = set
            self.devices = devices
        }
    }

    /// The condition in its canonical form.
    public var condition: String
    /// The number of devices for which it holds, muted ones included.
    public var devices: UInt64
    /// The sets, in the order in which the condition names them.
    public var terms: [Term]

    /// Makes an explanation; `terms` must be in the order in which the condition names them.
    public init(condition: String, devices: UInt64, terms: [Term]) {
        self.condition = condition
        self.devices = devices
        self.terms = terms
    }
}
