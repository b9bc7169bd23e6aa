import CarillonCore

/// One value for each environment. There are two, so a hash table would cost more than it saves.
struct ByEnvironment<Value> {
    private var production: Value
    private var sandbox: Value

    /// Makes the value of each environment.
    init(_ value: (Environment) -> Value) {
        (production, sandbox) = (value(.production), value(.sandbox))
    }

    /// The value of an environment.
    subscript(environment: Environment) -> Value { environment == .production ? production : sandbox }

    /// Changes the value of an environment in place.
    mutating func change<R>(_ environment: Environment, _ body: (inout Value) -> R) -> R {
        environment == .production ? body(&production) : body(&sandbox)
    }
}

extension ByEnvironment: Sendable where Value: Sendable {}
