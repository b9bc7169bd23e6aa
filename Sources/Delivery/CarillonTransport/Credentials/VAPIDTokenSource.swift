import CarillonCore
package import CarillonTLS
package import CarillonWebPush
import Synchronization

/// Makes and keeps the VAPID tokens of one key, one for each push service: all connections use the same.
package final class VAPIDTokenSource: Sendable {
    private struct State {
        var tokens: VAPIDTokens
        /// The authorization that each origin had last, with its generation.
        var last: [String: RequestAuthorization] = [:]
    }

    private let key: SigningKey
    /// The contact that push services write to.
    package let contact: VAPIDContact
    /// The public key in base64url, as a page passes it: `applicationServerKey`.
    package let publicKeyText: String
    private let state: Mutex<State>

    /// Makes the source of the tokens of a VAPID key.
    ///
    /// - Parameter key: the private key of the credential, on P-256.
    package init(key: SigningKey, contact: VAPIDContact) throws(TLSError) {
        let publicKey = try key.publicPoint
        self.key = key
        self.contact = contact
        publicKeyText = String(decoding: Base64URL.encode(publicKey), as: UTF8.self)
        state = Mutex(State(tokens: VAPIDTokens(contact: contact, publicKey: publicKey)))
    }

    func authorization(for origin: String, at now: Moment) throws(TLSError) -> RequestAuthorization {
        let key = key
        let result: Result<RequestAuthorization, TLSError> = state.withLock { state in
            do throws(TLSError) {
                let text = try state.tokens.authorization(for: origin, at: now) { input throws(TLSError) in
                    try key.sign(input)
                }
                if let last = state.last[origin], last.value == text { return .success(last) }
                let generation = (state.last[origin]?.generation ?? 0) + 1
                let authorization = RequestAuthorization(value: text, generation: generation, isIndexed: true)
                if state.last.count >= VAPIDTokens.maximumOrigins { state.last.removeAll() }
                state.last[origin] = authorization
                return .success(authorization)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
