import CCarillonNghttp2
import Glibc

/// The kind of a field, by its name. It distinguishes what the rules for requests distinguish.
enum FieldKind: UInt8 {
    case other
    case method, scheme, authority, path
    case host, contentLength, te
    /// A field of a connection in HTTP/1 (RFC 9113, section 8.2.2), a pseudo-header that no request has, or an invalid
    /// name.
    case forbidden

    init(name: UnsafeRawBufferPointer) {
        guard nghttp2_check_header_name(name.baseAddress?.assumingMemoryBound(to: UInt8.self), name.count) != 0 else {
            self = .forbidden
            return
        }
        self =
            switch name.count {
            case _ where name[0] == UInt8(ascii: ":"): FieldKind(pseudo: name)
            case 2 where name.equals("te"): .te
            case 4 where name.equals("host"): .host
            case 14 where name.equals("content-length"): .contentLength
            case 7 where name.equals("upgrade"), 10 where name.equals("connection"),
                10 where name.equals("keep-alive"), 16 where name.equals("proxy-connection"),
                17 where name.equals("transfer-encoding"):
                .forbidden
            default: .other
            }
    }

    private init(pseudo name: UnsafeRawBufferPointer) {
        self =
            switch name.count {
            case 5 where name.equals(":path"): .path
            case 7 where name.equals(":method"): .method
            case 7 where name.equals(":scheme"): .scheme
            case 10 where name.equals(":authority"): .authority
            default: .forbidden
            }
    }

    /// Returns true if HTTP allows the characters of a value for such a field.
    func allows(_ value: UnsafeRawBufferPointer) -> Bool {
        guard let start = value.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return self != .method && self != .path
        }
        return switch self {
        case .method: nghttp2_check_method(start, value.count) != 0
        case .path: nghttp2_check_path(start, value.count) != 0
        case .authority, .host: nghttp2_check_authority(start, value.count) != 0
        case .forbidden: false
        case .te: value.count == 8 && zip(value, "trailers".utf8).allSatisfy { $0 | 0x20 == $1 }
        case .other, .scheme, .contentLength: nghttp2_check_header_value_rfc9113(start, value.count) != 0
        }
    }
}

extension UnsafeRawBufferPointer {
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let start = baseAddress else { return false }
        return memcmp(start, text.utf8Start, count) == 0
    }
}
