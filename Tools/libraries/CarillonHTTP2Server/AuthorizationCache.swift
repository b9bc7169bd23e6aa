import CarillonHTTP2
import Glibc

/// The last value of `authorization`. Clients repeat it in each request and keep it out of the tables, as RFC 7541,
/// section 7.1.3, recommends.
struct AuthorizationCache {
    private var coded = ByteStore()
    private var isCoded = false
    private var text = ByteStore()
    private var nameLength = 0
    private var isAllowed = false

    /// The index of `authorization` in the static table.
    static let name = 23

    private static let maximumBytes = 8_192

    /// Returns the field with `value`; nil if that is not the last value again.
    func field(_ value: CodedString) -> CheckedField? {
        guard value.bytes.count == coded.count, value.isCoded == isCoded, let one = value.bytes.baseAddress,
            let other = coded.bytes.baseAddress, memcmp(one, other, coded.count) == 0,
            let start = text.bytes.baseAddress
        else { return nil }
        return CheckedField(
            text: start, nameLength: nameLength, valueLength: text.count - nameLength, kind: .other,
            isAllowed: isAllowed)
    }

    mutating func set(_ value: CodedString, of field: CheckedField) {
        coded.removeAll()
        text.removeAll()
        let whole = UnsafeRawBufferPointer(start: field.text, count: field.length)
        guard coded.append(value.bytes, limit: Self.maximumBytes), text.append(whole, limit: Self.maximumBytes) else {
            return coded.removeAll()
        }
        (nameLength, isAllowed, isCoded) = (field.nameLength, field.isAllowed, value.isCoded)
    }

    mutating func free() {
        coded.free()
        text.free()
    }
}
