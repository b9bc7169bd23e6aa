/// The push types of APNs, with the requirements of each.
enum ReceivedPushType: String, CaseIterable {
    case alert, background, location, voip, complication, fileprovider, mdm, liveactivity, pushtotalk, widgets
    case controls

    /// The suffix of the topic after the app's bundle id.
    var topicSuffix: StaticString {
        switch self {
        case .alert, .background, .mdm: ""
        case .location: ".location-query"
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    var maximumPayloadBytes: Int { self == .voip ? 5120 : 4096 }

    /// True if a connection with a client certificate may not send pushes of this type.
    var needsProviderToken: Bool {
        switch self {
        case .location, .fileprovider, .liveactivity, .widgets, .controls: true
        default: false
        }
    }

    /// Reads a header value; nil if it is not a push type.
    init?(_ value: UnsafeRawBufferPointer) {
        switch value.count {
        case 5 where value.equals("alert"): self = .alert
        default:
            guard let type = ReceivedPushType.allCases.first(where: { $0.rawValue.utf8.elementsEqual(value) }) else {
                return nil
            }
            self = type
        }
    }
}
