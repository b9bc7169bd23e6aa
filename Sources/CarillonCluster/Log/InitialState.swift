/// What the state of a log begins with. The first entry that says so counts; later ones, of nodes that did not know of
/// it, change nothing.
package struct InitialState: Hashable, Sendable {
    /// The state before the first change.
    package enum InitialStateKind: UInt8, Hashable, Sendable {
        /// No data.
        case empty = 0
        /// The data of a server that had no cluster. Only its own replica has them: others begin with a snapshot.
        case imported = 1
    }

    /// Whether there are data.
    package let kind: InitialStateKind
    /// What must be the same on every replica and is not a setting: keys of hashes that are part of the state.
    package let parameters: [UInt8]

    /// Bytes of ``parameters`` at most.
    package static let maximumParameterBytes = 1_024

    /// Makes an initial state; nil if the parameters have more than ``maximumParameterBytes``.
    package init?(kind: InitialStateKind, parameters: [UInt8]) {
        guard parameters.count <= Self.maximumParameterBytes else { return nil }
        (self.kind, self.parameters) = (kind, parameters)
    }
}
