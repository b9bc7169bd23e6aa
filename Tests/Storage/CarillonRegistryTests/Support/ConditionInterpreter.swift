import CarillonCore
import CarillonRegistryTestKit

/// A condition that says of one device at a time whether it holds: parsed from the canonical form, which is enough for
/// it.
struct ConditionInterpreter {
    private let text: [Substring]

    init(_ condition: Condition) {
        // Spaces make every mark a word of its own.
        var spaced = condition.description
        for mark in ["(", ")", "!"] {
            spaced = spaced.split(separator: mark, omittingEmptySubsequences: false).joined(separator: " \(mark) ")
        }
        text = spaced.replacing("! =", with: "!=").split(separator: " ")
    }

    func holds(for id: UInt64, _ registry: ReferenceRegistry) -> Bool {
        var rest = text[...]
        return disjunction(&rest, device: id, in: registry)
    }

    private func disjunction(
        _ rest: inout ArraySlice<Substring>, device id: UInt64, in registry: ReferenceRegistry
    ) -> Bool {
        var holds = conjunction(&rest, device: id, in: registry)
        while rest.first == "||" {
            rest.removeFirst()
            let right = conjunction(&rest, device: id, in: registry)
            holds = holds || right
        }
        return holds
    }

    private func conjunction(
        _ rest: inout ArraySlice<Substring>, device id: UInt64, in registry: ReferenceRegistry
    ) -> Bool {
        var holds = operand(&rest, device: id, in: registry)
        while rest.first == "&&" {
            rest.removeFirst()
            let right = operand(&rest, device: id, in: registry)
            holds = holds && right
        }
        return holds
    }

    private func operand(
        _ rest: inout ArraySlice<Substring>, device id: UInt64, in registry: ReferenceRegistry
    ) -> Bool {
        let word = rest.removeFirst()
        switch word {
        case "!":
            return !operand(&rest, device: id, in: registry)
        case "(":
            defer { rest.removeFirst() }
            return disjunction(&rest, device: id, in: registry)
        case "all":
            return registry.isDevice(id, in: .all)
        default:
            let second = rest.removeFirst()
            let third = rest.removeFirst()
            let name = String(word.trimming(while: { $0 == "'" }))
            let value = String(third.trimming(while: { $0 == "'" }))
            switch (second, third) {
            case ("in", "topics"): return registry.isDevice(id, in: .topic(TopicName(name)!))
            case ("in", _): return registry.isDevice(id, in: .group(GroupName(name)!))
            default:
                let set = SetName.attribute(AttributeKey(name)!, AttributeValue(value)!)
                return registry.isDevice(id, in: set) == (second == "==")
            }
        }
    }
}

extension Substring {
    fileprivate func trimming(while isOut: (Character) -> Bool) -> Substring {
        var text = drop(while: isOut)
        while let last = text.last, isOut(last) { text.removeLast() }
        return text
    }
}
