import CarillonAPNs
package import CarillonCore
package import CarillonTLS
import Synchronization

/// Makes and keeps the provider token of one (team, key): all connections use the same token.
package final class ProviderTokenSource: Sendable {
    package struct Token: Hashable, Sendable {
        /// The JWT. A secret: never logged.
        package var text: String
        /// The number of the token: 1 for the first token of the source, one more for each that follows.
        package var generation: UInt64
    }

    private struct State {
        var schedule = ProviderTokenSchedule()
        var token: Token?
    }

    private let teamID: String
    private let keyID: String
    private let key: SigningKey
    private let state = Mutex(State())

    /// Makes the source of the tokens of a provider key.
    ///
    /// - Parameters:
    ///   - teamID: ten letters and digits.
    ///   - keyID: ten letters and digits.
    package init(teamID: String, keyID: String, key: SigningKey) {
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
    }

    /// Returns the token to use now.
    ///
    /// - Parameter isRefused: APNs has answered that the current token has expired; it is renewed if that is allowed
    ///   yet.
    package func token(at now: Moment, isRefused: Bool = false) throws(TLSError) -> Token {
        let result: Result<Token, TLSError> = state.withLock { state in
            let isDue = state.schedule.issueIfDue(at: now, isRefused: isRefused)
            if let token = state.token, !isDue { return .success(token) }
            do throws(TLSError) {
                let token = Token(
                    text: try sign(at: now.wall),
                    generation: (state.token?.generation ?? 0) + 1
                )
                state.token = token
                return .success(token)
            } catch {
                // The schedule has counted a token that was not made: from the beginning, the next call tries again.
                state.schedule = ProviderTokenSchedule()
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Returns the milliseconds since the token in use was made; nil if no token was needed yet.
    package func ageMilliseconds(at now: Moment) -> UInt64? {
        state.withLock { $0.schedule.ageMilliseconds(at: now) }
    }

    private func sign(at wall: Timestamp) throws(TLSError) -> String {
        let claims = ProviderTokenClaims(keyID: keyID, teamID: teamID, issuedAtSeconds: wall.milliseconds / 1_000)
        let input = claims.signingInput
        return ProviderTokenClaims.token(signingInput: input, signature: try key.sign(input))
    }
}
