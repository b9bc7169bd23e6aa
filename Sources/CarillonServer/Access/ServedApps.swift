import CarillonCore
import Synchronization

/// The apps that are served now, and the push types that can be sent to each. A reload replaces them.
final class ServedApps: Sendable {
    private let pushTypes: Mutex<[AppID: Set<PushType>]>

    /// - Parameter pushTypes: of each app, the types that one of its credentials may push; all of an app without
    ///   credential.
    init(_ pushTypes: [AppID: Set<PushType>]) {
        self.pushTypes = Mutex(pushTypes)
    }

    /// Returns true if the app is served.
    func serves(_ app: AppID) -> Bool { pushTypes.withLock { $0[app] != nil } }

    /// Returns true if a credential of the app may push that type.
    func carries(_ type: PushType, for app: AppID) -> Bool {
        pushTypes.withLock { $0[app]?.contains(type) == true }
    }

    /// Replaces the apps.
    func change(to pushTypes: [AppID: Set<PushType>]) { self.pushTypes.withLock { $0 = pushTypes } }
}
