import CarillonCore
import CarillonWebPush
import Synchronization

/// An app that is served: the push types that it may send, and the providers of its devices.
struct ServedApp: Hashable, Sendable {
    /// The types that its credentials for APNs may push; all types if it has no such credential.
    var pushTypes: Set<PushType>
    /// The providers whose devices may be registered: APNs, and each provider that the app has a credential for.
    var providers: Set<Provider> = [.apns]
}

/// The apps that are served now. A reload replaces them.
final class ServedApps: Sendable {
    private let apps: Mutex<[AppID: ServedApp]>
    private let rules: Mutex<EndpointRules>

    init(_ apps: [AppID: ServedApp], rules: EndpointRules = EndpointRules()) {
        self.apps = Mutex(apps)
        self.rules = Mutex(rules)
    }

    func contains(_ app: AppID) -> Bool { apps.withLock { $0[app] != nil } }

    /// Returns true if a credential of the app may push that type.
    func canPush(_ type: PushType, for app: AppID) -> Bool {
        apps.withLock { $0[app]?.pushTypes.contains(type) == true }
    }

    /// Returns true if a device of that provider may be registered for the app. Always true for APNs, even if the app
    /// is not served: that is another check.
    func acceptsDevices(of provider: Provider, for app: AppID) -> Bool {
        provider == .apns || apps.withLock { $0[app]?.providers.contains(provider) == true }
    }

    /// Returns true if messages may be sent to an endpoint.
    func allowsMessages(to endpoint: HTTPSAddress) -> Bool { rules.withLock { $0.allows(endpoint) } }

    func replace(with apps: [AppID: ServedApp], rules: EndpointRules) {
        self.apps.withLock { $0 = apps }
        self.rules.withLock { $0 = rules }
    }
}
