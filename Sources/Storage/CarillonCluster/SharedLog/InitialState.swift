/// The state with which a log begins. The first entry that says so counts; later ones, of nodes that did not know of
/// it, change nothing.
package struct InitialState: Hashable, Sendable {
    /// The state before the first change.
    package enum Kind: UInt8, Hashable, Sendable {
        case empty = 0
        /// The state is the data of a server that had no cluster. Only that server's replica has them: the others begin
        /// with a snapshot.
        case imported = 1
    }

    /// The kind of the state, which says whether it has data.
    package let kind: Kind
    /// The values that must be the same on every replica and are no settings: keys of hashes that are part of the
    /// state.
    package let parameters: [UInt8]

    package static let maximumParameterBytes = 1_024

    /// Names a state; nil if the parameters have more than ``maximumParameterBytes``.
    package init?(kind: Kind, parameters: [UInt8]) {
        guard parameters.count <= Self.maximumParameterBytes else { return nil }
        (self.kind, self.parameters) = (kind, parameters)
    }
}
