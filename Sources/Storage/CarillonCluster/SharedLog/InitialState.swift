/// The state with which a log begins. The first entry with an initial state counts. Later ones change nothing: they
/// come from nodes that had not read the first.
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
        self.kind = kind
        self.parameters = parameters
    }

    /// The action of a replica on the entry with the initial state of the log.
    enum Meaning {
        /// The replica applies the entry and goes on.
        case apply
        /// The replica lacks the data of the log, and begins with a snapshot.
        case beginWithSnapshot
        /// The replica has data that are not in the log: the node stops.
        case stop
    }

    /// Returns the meaning of the entry for a replica.
    ///
    /// - Parameters:
    ///   - hasForeignData: true if the replica has data that are in no log.
    ///   - parameters: the parameters with which its node would begin a log.
    func meaning(hasForeignData: Bool, parameters: [UInt8]) -> Meaning {
        switch (kind, hasForeignData) {
        case (.empty, false): .apply
        case (.imported, false): .beginWithSnapshot
        // The node has appended that entry itself, perhaps before it was started again.
        case (.imported, true) where self.parameters == parameters: .apply
        case (.empty, true), (.imported, true): .stop
        }
    }
}
