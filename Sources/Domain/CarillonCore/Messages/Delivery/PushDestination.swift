/// The destination of pushes: a provider, and for APNs one of its environments.
package enum PushDestination: UInt8, Hashable, Sendable, CaseIterable {
    /// APNs' production environment: apps from the App Store and TestFlight.
    case apnsProduction
    /// APNs' sandbox: builds from Xcode.
    case apnsSandbox
    /// Firebase Cloud Messaging.
    case fcm
    /// The push services of browsers: one pool sends to all of them.
    case web

    package init(_ environment: APNsEnvironment) {
        self = environment == .production ? .apnsProduction : .apnsSandbox
    }

    @inline(__always)
    package init(_ kind: TokenKind, in environment: APNsEnvironment) {
        switch kind.provider {
        case .apns: self.init(environment)
        case .fcm: self = .fcm
        case .web: self = .web
        }
    }

    package var provider: Provider {
        switch self {
        case .apnsProduction, .apnsSandbox: .apns
        case .fcm: .fcm
        case .web: .web
        }
    }

    /// The environment of APNs; production if the provider is another.
    package var environment: APNsEnvironment { self == .apnsSandbox ? .sandbox : .production }

    /// APNs in the other environment, in which a device may be by mistake; nil for other providers.
    package var other: PushDestination? {
        switch self {
        case .apnsProduction: .apnsSandbox
        case .apnsSandbox: .apnsProduction
        case .fcm, .web: nil
        }
    }

    /// The name used in events and labels about an app's tokens; for APNs, the name of the environment.
    package var name: String {
        switch self {
        case .apnsProduction, .apnsSandbox: environment.name
        case .fcm, .web: provider.name
        }
    }
}
