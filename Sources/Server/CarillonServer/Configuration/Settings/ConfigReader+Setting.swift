import Configuration

/// Typed reads of one setting.
extension ConfigReader {
    /// Returns the text of a setting, or its default.
    func text(_ setting: Setting) throws(SettingsError) -> String {
        let key = ConfigKey(setting.name)
        guard case .text(let defaultValue) = setting.value else { return "" }
        return try value(of: key, type: "a text", string(forKey: key), default: defaultValue)
    }

    /// Returns the whole number of a setting, or its default.
    func number(_ setting: Setting) throws(SettingsError) -> Int {
        let key = ConfigKey(setting.name)
        guard case .number(let defaultValue, _) = setting.value else { return 0 }
        return try value(of: key, type: "a whole number", int(forKey: key), default: defaultValue)
    }

    /// Returns the flag of a setting, or its default.
    func flag(_ setting: Setting) throws(SettingsError) -> Bool {
        let key = ConfigKey(setting.name)
        guard case .flag(let defaultValue) = setting.value else { return false }
        return try value(of: key, type: "true or false", bool(forKey: key), default: defaultValue)
    }

    private func value<T>(of name: ConfigKey, type: String, _ found: T?, default defaultValue: T) throws(SettingsError)
        -> T
    {
        if let found { return found }
        // A value of another type would otherwise pass for absent.
        let isSet =
            string(forKey: name) != nil || int(forKey: name) != nil || double(forKey: name) != nil
            || bool(forKey: name) != nil || stringArray(forKey: name) != nil
        guard !isSet else { throw SettingsError("\(name)", fault: "must be \(type)") }
        return defaultValue
    }
}
