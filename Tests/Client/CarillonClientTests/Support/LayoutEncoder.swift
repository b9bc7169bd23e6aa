import CarillonCore
import CarillonTestKit
import CarillonWire
import Foundation

/// An encoder of requests from the fields of the vectors, by `Protocol/layouts.json`.
struct LayoutEncoder {
    /// The fault of a field that is missing, or of a value of another type.
    struct Fault: Error {
        let text: String
    }

    private let requests: [String: (opcode: UInt16, fixed: [[Any]], tags: [[Any]])]

    init() throws {
        let url = Vectors.protocolFolder.appendingPathComponent("layouts.json")
        guard let all = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any],
            let rows = all["requests"] as? [[String: Any]]
        else { throw Fault(text: "layouts.json") }
        var requests: [String: (UInt16, [[Any]], [[Any]])] = [:]
        for row in rows {
            guard let name = row["name"] as? String, let opcode = row["opcode"] as? UInt16,
                let layout = row["request"] as? [String: Any]
            else { throw Fault(text: "a row of layouts.json") }
            requests[name] = (opcode, layout["fixed"] as? [[Any]] ?? [], layout["tags"] as? [[Any]] ?? [])
        }
        self.requests = requests
    }

    func request(_ name: String, _ fields: [String: Any]) throws -> any CarillonWire.Operation {
        guard let (opcode, fixed, tags) = requests[name] else { throw Fault(text: "no request \(name)") }
        var payload: [UInt8] = []
        for field in fixed {
            guard let name = field[0] as? String, let value = fields[name] else { throw Fault(text: "\(field)") }
            payload += try write(field[1], value)
        }
        var section: [[UInt8]] = []
        for tag in tags {
            guard let number = tag[0] as? UInt8, let name = tag[1] as? String, let value = fields[name] else {
                continue
            }
            let type = tag[2] as? String ?? ""
            // A tag has the length of its value: these types are written without a length of their own.
            let bytes = ["str", "topic", "bytes"].contains(type) ? try raw(type, value) : try write(tag[2], value)
            section.append([number, UInt8(bytes.count)] + bytes)
        }
        if !section.isEmpty { payload += [UInt8(section.count)] + section.joined() }
        return try payload.withUnsafeBytes { try AnyRequest.decode($0, of: Opcode(rawValue: opcode)) }.request.operation
    }

    private func write(_ type: Any, _ value: Any) throws -> [UInt8] {
        if let type = type as? [String: Any] {
            if let parts = type["struct"] as? [[Any]], let value = value as? [String: Any] {
                return try parts.flatMap { part in
                    try write(part[1], value[part[0] as? String ?? ""] ?? 0)
                }
            }
            guard let item = type["list"], let items = value as? [Any] else { throw Fault(text: "\(type)") }
            return try bigEndian(UInt64(items.count), 4) + items.flatMap { try write(item, $0) }
        }
        switch type as? String {
        case "u8": return bigEndian(try integer(value), 1)
        case "u16": return bigEndian(try integer(value), 2)
        case "u32": return bigEndian(try integer(value), 4)
        case "u64": return bigEndian(try integer(value), 8)
        case "uuid": return try raw("uuid", value)
        case "str", "topic": return try lengthPrefixed(raw("str", value), 2)
        case "bytes": return try lengthPrefixed(raw("bytes", value), 4)
        case "token": return try lengthPrefixed(raw("bytes", value), 1)
        case "device": return try device(value)
        default: throw Fault(text: "the type \(type)")
        }
    }

    private func device(_ value: Any) throws -> [UInt8] {
        guard let value = value as? [String: Any] else { throw Fault(text: "device") }
        if let id = value["id"] { return [2] + bigEndian(try integer(id), 8) }
        guard let token = value["token"] as? [String: Any] else { throw Fault(text: "device") }
        return try [1] + write("u8", token["environment"] ?? 0) + write("u8", token["kind"] ?? 0)
            + write("token", token["token"] ?? "")
    }

    private func raw(_ type: String, _ value: Any) throws -> [UInt8] {
        guard let text = value as? String else { throw Fault(text: "\(value) is not a text") }
        if type == "str" || type == "topic" { return Array(text.utf8) }
        guard let bytes = Hex.bytes(text) else { throw Fault(text: "\(text) is not hexadecimal") }
        return bytes
    }

    private func integer(_ value: Any) throws -> UInt64 {
        if let text = value as? String, let number = UInt64(text) { return number }
        guard let number = value as? NSNumber else { throw Fault(text: "\(value) is not a number") }
        return number.uint64Value
    }

    private func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }

    private func lengthPrefixed(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        bigEndian(UInt64(bytes.count), count) + bytes
    }
}
