import CarillonCore

/// One value for each destination. There are four, so a hash table would cost more than it saves.
struct ByDestination<Value> {
    private var apnsProduction: Value
    private var apnsSandbox: Value
    private var fcm: Value
    private var web: Value

    init(_ value: (PushDestination) -> Value) {
        apnsProduction = value(.apnsProduction)
        apnsSandbox = value(.apnsSandbox)
        fcm = value(.fcm)
        web = value(.web)
    }

    subscript(destination: PushDestination) -> Value {
        switch destination {
        case .apnsProduction: apnsProduction
        case .apnsSandbox: apnsSandbox
        case .fcm: fcm
        case .web: web
        }
    }

    mutating func change<R>(_ destination: PushDestination, _ body: (inout Value) -> R) -> R {
        switch destination {
        case .apnsProduction: body(&apnsProduction)
        case .apnsSandbox: body(&apnsSandbox)
        case .fcm: body(&fcm)
        case .web: body(&web)
        }
    }
}

extension ByDestination: Sendable where Value: Sendable {}
