import CarillonCore
import Foundation

/// Our strict reader of a push's JSON. What it accepts, Foundation's must read as the same.
///
/// Byte 0: the push type. Then the payload.
enum PayloadTarget {
    static func run(_ input: inout FuzzInput) {
        let types = PushType.allCases
        let type = types[Int(input.byte()) % types.count]
        let payload = input.rest()
        // Why try?: nil says that the parser refuses it.
        let parsed = try? JSONObjectParser.parse(payload)
        if let parsed {
            // Why try?: nil says that Foundation refuses it.
            let object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
            demand(object != nil, "Foundation reads no object in what we accept")
            demand(isSame(.object(parsed), as: object as Any), "Foundation reads something else than we do")
        }
        // Why try?: only whether it is accepted is compared.
        let isAccepted = (try? MessageRules.checkPayload(payload, for: type)) != nil
        demand(!isAccepted || parsed != nil, "a payload is accepted that is not an object")
        demand(!isAccepted || payload.count <= type.maximumPayloadBytes, "a payload is accepted that is too large")
    }

    /// Returns true if Foundation's value is the same in all that our value has.
    private static func isSame(_ ours: JSONValue, as theirs: Any) -> Bool {
        switch ours {
        case .object(let members):
            guard let object = theirs as? [String: Any], object.count == members.count else { return false }
            return members.allSatisfy { name, value in object[name].map { isSame(value, as: $0) } ?? false }
        case .array(let items):
            guard let array = theirs as? [Any], array.count == items.count else { return false }
            return zip(items, array).allSatisfy(isSame)
        case .text(let text): return (theirs as? String).map { $0.utf8.elementsEqual(text.utf8) } ?? false
        case .integer, .number: return theirs is NSNumber
        case .bool(let value): return theirs as? Bool == value
        case .null: return theirs is NSNull
        }
    }
}
