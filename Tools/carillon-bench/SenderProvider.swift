import ArgumentParser
import CarillonAPNs
import CarillonCore
import CarillonFCM
import CarillonProvider
import CarillonTLS
import CarillonTransport
import CarillonWebPush
import Foundation
import Logging
import NIOCore

/// The provider to which the sender bench pushes.
enum SenderProvider: String, ExpressibleByArgument, CaseIterable {
    case apns
    case fcm
    case web
}

extension SenderBench {
    /// Makes the target: the server on localhost, and the source of authorizations for requests to it.
    func target(_ tls: TLSContext, browsers: [WebPushSubscription], on loop: any EventLoop) throws -> PoolTarget {
        switch provider {
        case .apns:
            let source = ProviderTokenSource(
                teamID: team, keyID: keyID, key: try SigningKey(pem: SecretBytes.load(path: keyFile)))
            return PoolTarget(
                key: PoolKey(destination: .apnsProduction, credential: "bench"),
                server: PoolTarget.Server(host: "localhost", port: port), tls: tls,
                authorization: .providerToken(source), adapter: APNsAdapter(epoch: .zero))
        case .fcm: return try fcm(tls, on: loop)
        case .web: return try web(tls, browsers: browsers)
        }
    }

    /// Makes the target for FCM. The key is a file of a service account, whose token endpoint is asked once.
    private func fcm(_ tls: TLSContext, on loop: any EventLoop) throws -> PoolTarget {
        let file = Array(try Data(contentsOf: URL(fileURLWithPath: keyFile)))
        let account = try file.withUnsafeBytes { try ServiceAccount.read($0) }
        let pem = try SecretBytes(capacity: file.count) { room in
            try file.withUnsafeBytes { try ServiceAccount.writePrivateKey(of: $0, into: room) }
        }
        guard let adapter = FCMAdapter(project: account.projectID) else {
            throw ValidationError("the project id is too long")
        }
        let address = account.tokenAddress
        let request = SingleRequest(
            to: SingleRequest.Endpoint(host: address.host, port: Int(address.port), tls: tls), timeout: .seconds(10))
        let tokens = AccessTokenSource(account: account, key: try RSASigningKey(pem: pem), logger: Self.logger) {
            [loop] body in
            request.post(path: address.target, contentType: JWTAssertion.contentType, body: body, on: loop)
        }
        return PoolTarget(
            key: PoolKey(destination: .fcm, credential: "bench"),
            server: PoolTarget.Server(host: "localhost", port: port), tls: tls,
            authorization: .accessToken(tokens), adapter: adapter)
    }

    /// Makes the target for a push service of browsers, the one of the first subscription. The key is a VAPID key.
    private func web(_ tls: TLSContext, browsers: [WebPushSubscription]) throws -> PoolTarget {
        guard let address = browsers.first?.address, let contact = VAPIDContact("mailto:bench@example.com") else {
            throw ValidationError("--subscriptions has no subscription")
        }
        let tokens = try VAPIDTokenSource(key: SigningKey(pem: SecretBytes.load(path: keyFile)), contact: contact)
        return PoolTarget(
            key: PoolKey(destination: .web, credential: "bench"),
            server: PoolTarget.Server(host: address.host, port: Int(address.port), authority: address.authority),
            tls: tls, authorization: .vapid(tokens, origin: address.origin), adapter: WebPushAdapter(address) { true })
    }

    /// The limits of a connection, as the server has them.
    var connectionLimits: ConnectionMachine.Limits {
        switch provider {
        case .apns: ConnectionMachine.Limits()
        case .fcm: .fcm
        case .web: .webPush
        }
    }

    /// Reads the subscriptions of the file, one a line.
    func readSubscriptions() throws -> [WebPushSubscription] {
        guard let subscriptionsFile else { return [] }
        let text = try String(contentsOfFile: subscriptionsFile, encoding: .utf8)
        return try text.split(separator: "\n").map { try WebPushSubscription(json: Array($0.utf8)) }
    }

    /// Returns the devices: distinct tokens, or the browsers again and again.
    func devices(_ browsers: [WebPushSubscription]) -> BenchSource.Devices {
        switch provider {
        case .apns: .apns
        case .fcm: .fcm
        case .web: .web(browsers.map(\.bytes))
        }
    }

    /// Returns the body of a request to FCM, as other programs are to send it.
    func fcmBody(_ content: MessageContent) throws -> [UInt8] {
        guard let target = FCMTarget(.token, BenchDevice.fcmTokenBytes(0)) else {
            throw ValidationError("the token of a bench device is invalid")
        }
        return try FCMRequest(content, at: .zero).body(for: target)
    }
}
