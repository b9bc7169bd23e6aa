/// The provider that delivers pushes to a device (Protocol 16.3).
public enum Provider: UInt8, Hashable, Sendable, CaseIterable {
    /// Apple Push Notification service.
    case apns = 1
    /// Firebase Cloud Messaging: Android.
    case fcm = 2
    /// The push service of a browser (RFC 8030).
    case web = 3

    /// The name used in files, flags and messages.
    public var name: String {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        case .web: "web"
        }
    }

    /// Finds the provider of that name; returns nil if no provider has it.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}

extension Provider {
    /// The value of the attribute `platform` of the provider's devices, unless they have one of their own (Conditions
    /// 3).
    package var platform: String {
        switch self {
        case .apns: "ios"
        case .fcm: "android"
        case .web: "web"
        }
    }
}

extension TokenKind {
    /// The provider that delivers to tokens of this kind.
    public var provider: Provider {
        switch self {
        case .device, .voip, .liveactivity, .widget, .control, .pushtotalk, .fileprovider, .location, .complication,
            .mdm:
            .apns
        case .fcm, .fid: .fcm
        case .web: .web
        }
    }
}

/// The name of ``APNsEnvironment`` in the client library: Apple's word, which programs that use the library write.
public typealias Environment = APNsEnvironment
