import Foundation

/// A request of channel management, judged by Apple's rules that do not depend on the stored channels.
struct ManagementRequest {
    enum Operation: Equatable {
        case create(ChannelStore.Policy)
        case read(String)
        case list
        case delete(String)
    }

    private static let channels = Array("channels".utf8)
    private static let allChannels = Array("all-channels".utf8)

    let app: [UInt8]
    private let isList: Bool

    /// Reads the path; nil if it is not a path of channel management.
    init?(path: UnsafeRawBufferPointer) {
        guard let rest = path.removing(prefix: "/1/apps/") else { return nil }
        let parts = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        let last = Array(parts[1])
        guard last == Self.channels || last == Self.allChannels else { return nil }
        app = Array(parts[0])
        isList = last == Self.allChannels
    }

    /// Returns the operation, or the fault of method, headers or body.
    func operation(of request: ReceivedPush) -> Result<Operation, ChannelFault> {
        if request.requestID != nil, request.canonicalRequestID == nil { return .failure(ChannelFault(.badMessageID)) }
        if isList { return request.method.equals("GET") ? .success(.list) : .failure(ChannelFault(.methodNotAllowed)) }
        if request.method.equals("POST") { return Self.creation(request) }
        let isRead = request.method.equals("GET")
        guard isRead || request.method.equals("DELETE") else { return .failure(ChannelFault(.methodNotAllowed)) }
        switch Self.channelID(of: request) {
        case .success(let channel): return .success(isRead ? .read(channel) : .delete(channel))
        case .failure(let fault): return .failure(fault)
        }
    }

    /// Returns the header `apns-channel-id`, which must be base64.
    static func channelID(of request: ReceivedPush) -> Result<String, ChannelFault> {
        guard let header = request.channelID else { return .failure(ChannelFault(.missingChannelID)) }
        let text = header.text
        guard (1...200).contains(text.utf8.count), Data(base64Encoded: text) != nil else {
            return .failure(ChannelFault(.badChannelID))
        }
        return .success(text)
    }

    private static func creation(_ request: ReceivedPush) -> Result<Operation, ChannelFault> {
        if request.payloadLength == 0 { return .failure(ChannelFault(.payloadEmpty)) }
        // Why try?: the answer says that it is not JSON.
        guard request.payloadLength == request.payload.count,
            let value = try? JSONSerialization.jsonObject(with: Data(request.payload)),
            let body = value as? [String: Any]
        else { return .failure(ChannelFault(.badRequestPayload)) }
        guard body.keys.allSatisfy({ $0 == "message-storage-policy" || $0 == "push-type" }) else {
            return .failure(ChannelFault(.badRequestParams))
        }
        guard let type = body["push-type"] else { return .failure(ChannelFault(.missingPushType)) }
        guard type as? String == "LiveActivity" else { return .failure(ChannelFault(.invalidPushType)) }
        guard let policy = (body["message-storage-policy"] as? Int).flatMap(ChannelStore.Policy.init) else {
            return .failure(ChannelFault(.badRequestParams))
        }
        return .success(.create(policy))
    }
}

/// A refusal by the rules of channels.
struct ChannelFault: Error, Equatable {
    let reason: Reason

    init(_ reason: Reason) { self.reason = reason }
}
