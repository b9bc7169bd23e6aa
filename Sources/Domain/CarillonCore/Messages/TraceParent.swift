/// The place of a message in a distributed trace: the value of the header `traceparent` (W3C Trace Context) with which
/// a service was called, or of its own span. The server carries it into its log, into the status and into events.
public struct TraceParent: Hashable, Sendable, CustomStringConvertible {
    /// The value: version 00, the trace id, the id of the parent span and the flags, with hyphens between.
    public let description: String

    /// The number of bytes of a value of version 00.
    package static let byteCount = 55

    /// Makes a trace parent from the value of the header; returns nil if the value is not valid.
    ///
    /// A later version is read as far as version 00 goes, as the recommendation asks.
    public init?(_ value: String) {
        let bytes = Array(value.utf8)
        guard bytes.count >= Self.byteCount, Self.parts.allSatisfy({ Self.isHexadecimal(bytes[$0]) }),
            [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            !bytes[Self.parts[1]].allSatisfy({ $0 == UInt8(ascii: "0") }),
            !bytes[Self.parts[2]].allSatisfy({ $0 == UInt8(ascii: "0") })
        else { return nil }
        let version = bytes[Self.parts[0]]
        if version.elementsEqual("00".utf8) {
            guard bytes.count == Self.byteCount else { return nil }
        } else {
            guard !version.elementsEqual("ff".utf8),
                bytes.count == Self.byteCount || bytes[Self.byteCount] == UInt8(ascii: "-")
            else { return nil }
        }
        description = "00" + String(decoding: bytes[2..<Self.byteCount], as: UTF8.self)
    }

    /// Makes a trace parent from its `description`; returns nil for any other text.
    package init?(exactly text: String) {
        self.init(text)
        guard description == text else { return nil }
    }

    /// The id of the trace: 32 hexadecimal digits.
    public var traceID: String { text(Self.parts[1]) }
    /// The id of the parent span: 16 hexadecimal digits.
    public var parentID: String { text(Self.parts[2]) }

    /// The ranges of the parts: version, trace id, parent id and flags.
    private static let parts = [0..<2, 3..<35, 36..<52, 53..<55]

    private func text(_ range: Range<Int>) -> String {
        String(decoding: Array(description.utf8)[range], as: UTF8.self)
    }

    /// Returns true if all digits are hexadecimal in lower case, the only case that is allowed.
    private static func isHexadecimal(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.allSatisfy { $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }
}
