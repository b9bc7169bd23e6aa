import CarillonCore

/// The names that the objects of a configuration file may have. Without this check a misspelt name would silently have
/// no effect.
indirect enum JSONShape: Sendable {
    /// A value whose type is checked when it is read.
    case value
    case list(of: JSONShape)
    /// An object whose names the operator chooses.
    case dictionary(of: JSONShape)
    /// An object with these members.
    case object([String: JSONShape])

    /// A name that is not known.
    struct UnknownName {
        var path: [JSONStep]
        /// The names that are allowed at that place.
        var known: [String]
    }

    /// Finds a name that is not known; nil if all are known.
    func unknownName(in value: JSONValue) -> UnknownName? {
        switch (self, value) {
        case (.list(let shape), .array(let items)):
            for (index, item) in items.enumerated() {
                if let found = shape.unknownName(in: item, at: .index(index)) { return found }
            }
        case (.dictionary(let shape), .object(let members)):
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                if let found = shape.unknownName(in: value, at: .name(name)) { return found }
            }
        case (.object(let shapes), .object(let members)):
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                guard let shape = shapes[name] else {
                    return UnknownName(path: [.name(name)], known: shapes.keys.sorted())
                }
                if let found = shape.unknownName(in: value, at: .name(name)) { return found }
            }
        default: break
        }
        return nil
    }

    private func unknownName(in value: JSONValue, at step: JSONStep) -> UnknownName? {
        var found = unknownName(in: value)
        found?.path.insert(step, at: 0)
        return found
    }
}
