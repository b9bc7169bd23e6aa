import Glibc

/// The file with the port that the server got, for the program that started it.
enum PortFile {
    /// Writes the port as one line. A reader sees the whole file or none.
    static func write(_ port: Int, to path: String, setting: Setting) throws(SettingsError) {
        let temporary = path + ".new"
        guard let file = fopen(temporary, "w") else { throw SettingsError(setting.name, fault: "cannot be written") }
        fputs("\(port)\n", file)
        fclose(file)
        guard rename(temporary, path) == 0 else { throw SettingsError(setting.name, fault: "cannot be written") }
    }
}
