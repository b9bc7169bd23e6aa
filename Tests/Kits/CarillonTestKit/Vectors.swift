package import CarillonCore
package import CarillonWire
package import Foundation

/// The golden vectors of `Protocol/vectors`, as tests load them.
package enum Vectors {
    /// A frame that both sides can read.
    package struct Valid: Sendable, Named {
        /// The name of the vector, unique among the files of the folder.
        package let name: String
        /// True if a client sends it.
        package let isFromClient: Bool
        /// The whole frame.
        package let bytes: [UInt8]
        /// The name of the message in lower case.
        package let message: String
        /// The fields by name, as JSON with sorted names.
        package let fields: String
        /// True if an encoder would choose other bytes.
        package let isDecodeOnly: Bool

        /// The kind in the header of the frame; nil for an unknown kind.
        package var kind: FrameKind? {
            bytes.withUnsafeBytes { FrameHeader($0) }.flatMap { FrameKind(rawValue: $0.kind) }
        }
    }

    /// Bytes of a client that must be refused.
    package struct Invalid: Sendable, Named {
        /// The name of the vector, unique among the files of the folder.
        package let name: String
        /// The phase in which the bytes come.
        package let phase: String
        package let bytes: [UInt8]
        /// The error; nil for "closed without a byte".
        package let expected: Expected?
    }

    /// The error that an invalid vector must give.
    package struct Expected: Hashable, Sendable {
        package let code: String
        package let scope: ErrorScope
        package let field: String?
        package let item: UInt32?
        package let column: UInt32?
        package let limit: UInt64?

        package init(
            code: String, scope: ErrorScope, field: String?, item: UInt32?, column: UInt32?, limit: UInt64?
        ) {
            self.code = code
            self.scope = scope
            self.field = field
            self.item = item
            self.column = column
            self.limit = limit
        }
    }

    /// The reason why the vectors cannot be used; a test that meets it fails.
    package enum Fault: Error, Hashable {
        case emptyFolder(String)
        case unreadable(String)
    }

    package static func valid() throws -> [Valid] {
        try load("valid").map { entry in
            let frame = try string(entry, "hex")
            return Valid(
                name: try string(entry, "name"), isFromClient: try string(entry, "from") == "client",
                bytes: try bytes(frame), message: try string(entry, "message"),
                fields: try canonical(entry["fields"] ?? [String: Any]()),
                isDecodeOnly: entry["decode_only"] as? Bool == true || entry["unknown_tags"] != nil)
        }
    }

    package static func invalid() throws -> [Invalid] {
        try load("invalid").map { entry in
            Invalid(
                name: try string(entry, "name"), phase: try string(entry, "phase"),
                bytes: try bytes(try string(entry, "hex")),
                expected: try (entry["expect"] as? [String: Any]).map { expect in
                    Expected(
                        code: try string(expect, "code"),
                        scope: try string(expect, "scope") == "connection" ? .connection : .request,
                        field: expect["field"] as? String, item: (expect["item"] as? NSNumber)?.uint32Value,
                        column: (expect["column"] as? NSNumber)?.uint32Value,
                        limit: (expect["limit"] as? NSNumber)?.uint64Value)
                })
        }
    }

    /// Returns the bytes that the server sends in the session of that file, step by step.
    package static func serverSteps(ofSession file: String) throws -> [[UInt8]] {
        let url = protocolFolder.appendingPathComponent("vectors/sessions/\(file).json")
        let session = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
        guard let steps = session?["steps"] as? [[String: Any]], !steps.isEmpty else { throw Fault.unreadable(file) }
        return try steps.filter { try string($0, "from") == "server" }.map { try bytes(try string($0, "hex")) }
    }

    /// Returns a JSON value as text with sorted names, so that two of them can be compared.
    package static func canonical(_ value: Any) throws -> String {
        let data = try JSONSerialization.data(
            withJSONObject: value, options: [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    /// The folder `Protocol/` of the checkout that was built.
    package static let protocolFolder = Repository.file("Protocol")

    private static func load(_ folder: String) throws -> [[String: Any]] {
        let url = protocolFolder.appendingPathComponent("vectors/\(folder)")
        let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.path < $1.path }
        let entries = try files.flatMap { file -> [[String: Any]] in
            guard let list = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]] else {
                throw Fault.unreadable(file.lastPathComponent)
            }
            return list
        }
        guard !entries.isEmpty else { throw Fault.emptyFolder(folder) }
        return entries
    }

    private static func string(_ entry: [String: Any], _ name: String) throws -> String {
        guard let text = entry[name] as? String else { throw Fault.unreadable("\(name) in \(entry["name"] ?? "?")") }
        return text
    }

    private static func bytes(_ hex: String) throws -> [UInt8] {
        guard let bytes = Hex.bytes(hex) else { throw Fault.unreadable("hex") }
        return bytes
    }
}

/// A thing that shows as its name in the output of tests.
package protocol Named: CustomStringConvertible {
    /// The name in the output of tests.
    var name: String { get }
}

extension Named {
    package var description: String { name }
}
