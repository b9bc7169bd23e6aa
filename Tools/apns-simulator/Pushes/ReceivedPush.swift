import CarillonHTTP2Server

/// The parts of a push, or of a request of channel management, that matter: views of the received bytes.
struct ReceivedPush {
    var method = UnsafeRawBufferPointer(start: nil, count: 0)
    var path = UnsafeRawBufferPointer(start: nil, count: 0)
    var authorization: UnsafeRawBufferPointer?
    var topic: UnsafeRawBufferPointer?
    var pushType: UnsafeRawBufferPointer?
    var priority: UnsafeRawBufferPointer?
    var expiration: UnsafeRawBufferPointer?
    var id: UnsafeRawBufferPointer?
    /// The id if it is a UUID in its canonical form; else nil.
    private(set) var canonicalID: UnsafeRawBufferPointer?
    var collapseID: UnsafeRawBufferPointer?
    var channelID: UnsafeRawBufferPointer?
    var requestID: UnsafeRawBufferPointer?
    /// The request id if it is a UUID in its canonical form; else nil.
    var canonicalRequestID: UnsafeRawBufferPointer? { requestID.flatMap { $0.isCanonicalUUID ? $0 : nil } }
    var hasDuplicates = false
    var payload = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The length of the whole payload, the part that was cut included.
    var payloadLength = 0

    /// The device token in the path, in hexadecimal; nil if the path is not that of a push to a device.
    var deviceToken: UnsafeRawBufferPointer? { path.removing(prefix: "/3/device/") }

    init() {}

    init(_ request: Request) {
        request.forEachHeader { add($0, value: $1) }
        payload = request.body
        payloadLength = request.bodyLength
    }

    /// Stores a header if it is one of the headers above. Other names are ignored.
    mutating func add(_ name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        switch name.count {
        case 5 where name.equals(":path"): path = value
        case 7 where name.equals(":method"): method = value
        case 7 where name.equals("apns-id"):
            hasDuplicates = replace(&id, with: value) || hasDuplicates
            canonicalID = value.isCanonicalUUID ? value : nil
        case 10 where name.equals("apns-topic"): hasDuplicates = replace(&topic, with: value) || hasDuplicates
        case 13 where name.equals("authorization"):
            hasDuplicates = replace(&authorization, with: value) || hasDuplicates
        case 13 where name.equals("apns-priority"): hasDuplicates = replace(&priority, with: value) || hasDuplicates
        case 14 where name.equals("apns-push-type"): hasDuplicates = replace(&pushType, with: value) || hasDuplicates
        case 15 where name.equals("apns-channel-id"): hasDuplicates = replace(&channelID, with: value) || hasDuplicates
        case 15 where name.equals("apns-request-id"): hasDuplicates = replace(&requestID, with: value) || hasDuplicates
        case 15 where name.equals("apns-expiration"): hasDuplicates = replace(&expiration, with: value) || hasDuplicates
        case 16 where name.equals("apns-collapse-id"):
            hasDuplicates = replace(&collapseID, with: value) || hasDuplicates
        default: break
        }
    }
}

/// Returns true if `field` had a value before it got this one.
private func replace(_ field: inout UnsafeRawBufferPointer?, with value: UnsafeRawBufferPointer) -> Bool {
    defer { field = value }
    return field != nil
}
