/// The kind of a token: it decides provider, push type, topic suffix and limits (Protocol 16.3).
public enum TokenKind: UInt8, Hashable, Sendable, CaseIterable {
    /// A token for alerts and background pushes.
    case device = 1
    /// A token for calls (PushKit).
    case voip = 2
    /// A token of a Live Activity: start or update token.
    case liveactivity = 3
    /// A token of WidgetKit widgets.
    case widget = 4
    /// A token of WidgetKit controls.
    case control = 5
    /// A token of Push to Talk channels.
    case pushtotalk = 6
    /// A token of File Provider domains.
    case fileprovider = 7
    /// A token for location queries.
    case location = 8
    /// A token of watch complications.
    case complication = 9
    /// A token for device management.
    case mdm = 10
    /// A registration token of FCM: Android.
    case fcm = 11
    /// A Firebase installation id: Android.
    case fid = 12
    /// A push subscription of a browser.
    case web = 13

    /// The name used in files, flags and messages.
    public var name: String {
        // Not `String(describing:)`: that takes a microsecond, and every registration reads the name.
        switch self {
        case .device: "device"
        case .voip: "voip"
        case .liveactivity: "liveactivity"
        case .widget: "widget"
        case .control: "control"
        case .pushtotalk: "pushtotalk"
        case .fileprovider: "fileprovider"
        case .location: "location"
        case .complication: "complication"
        case .mdm: "mdm"
        case .fcm: "fcm"
        case .fid: "fid"
        case .web: "web"
        }
    }

    /// Finds the kind of that name; returns nil if no kind has it.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}

extension TokenKind {
    /// True if a token is a text in ASCII, which is also its written form. Tokens of other kinds are written in
    /// hexadecimal.
    public var hasTextTokens: Bool { provider == .fcm }

    /// The environments that a token of this kind can be of: only APNs has a sandbox.
    public var environments: [APNsEnvironment] { provider == .apns ? APNsEnvironment.allCases : [.production] }

    /// The size of an installation id of Firebase, in bytes.
    package static let installationBytes = 22
    /// The size of a token of kind `web`, the SHA-256 of the endpoint, in bytes.
    package static let endpointDigestBytes = 32

    /// Returns true if `token` can be one of this kind (Protocol 16.3). APNs and browsers promise no alphabet.
    public func accepts(_ token: DeviceToken) -> Bool { token.bytes.withUnsafeBufferPointer(accepts) }

    /// Returns true if the bytes can be a token of this kind (Protocol 16.3).
    package func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .fcm: return Self.isRegistrationToken(bytes)
        case .fid:
            // 72 bits and a header of four, 0111: the first digit is c, d, e or f.
            return bytes.count == Self.installationBytes && bytes.allSatisfy(Self.isBase64URLDigit)
                && (UInt8(ascii: "c")...UInt8(ascii: "f")).contains(bytes[0])
        case .web: return bytes.count == Self.endpointDigestBytes
        case .device, .voip, .liveactivity, .widget, .control, .pushtotalk, .fileprovider, .location, .complication,
            .mdm:
            return true
        }
    }

    /// Returns true if all bytes are digits of base64url, or one of `:.%~`.
    private static func isRegistrationToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Every push checks its token. Without branches the compiler checks many bytes at a time.
        var others: UInt8 = 0
        for byte in bytes {
            let isLetter: UInt8 = (byte | 0x20) &- UInt8(ascii: "a") < 26 ? 1 : 0
            // In ASCII the colon follows the digit 9, so one range has both.
            let isDigit: UInt8 = byte &- UInt8(ascii: "0") < 11 ? 1 : 0
            let isDash: UInt8 = byte == UInt8(ascii: "-") ? 1 : 0
            let isUnderscore: UInt8 = byte == UInt8(ascii: "_") ? 1 : 0
            let isDot: UInt8 = byte == UInt8(ascii: ".") ? 1 : 0
            let isPercent: UInt8 = byte == UInt8(ascii: "%") ? 1 : 0
            let isTilde: UInt8 = byte == UInt8(ascii: "~") ? 1 : 0
            others |= (isLetter | isDigit | isDash | isUnderscore | isDot | isPercent | isTilde) ^ 1
        }
        return others == 0
    }

    private static func isBase64URLDigit(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
