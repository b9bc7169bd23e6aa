import CarillonCore

/// One value for each service. There are four, so a hash table would cost more than it saves.
struct ByService<Value> {
    private var apnsProduction: Value
    private var apnsSandbox: Value
    private var fcm: Value
    private var web: Value

    /// Makes the value of each service.
    init(_ value: (PushService) -> Value) {
        (apnsProduction, apnsSandbox) = (value(.apnsProduction), value(.apnsSandbox))
        (fcm, web) = (value(.fcm), value(.web))
    }

    /// The value of a service.
    subscript(service: PushService) -> Value {
        switch service {
        case .apnsProduction: apnsProduction
        case .apnsSandbox: apnsSandbox
        case .fcm: fcm
        case .web: web
        }
    }

    /// Changes the value of a service in place.
    mutating func change<R>(_ service: PushService, _ body: (inout Value) -> R) -> R {
        switch service {
        case .apnsProduction: body(&apnsProduction)
        case .apnsSandbox: body(&apnsSandbox)
        case .fcm: body(&fcm)
        case .web: body(&web)
        }
    }
}

extension ByService: Sendable where Value: Sendable {}
