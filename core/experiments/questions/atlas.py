"""Countries with their capital and continent: what every child may look up."""

ATLAS = {
    "Europe": """France:Paris|Germany:Berlin|Italy:Rome|Spain:Madrid|Portugal:Lisbon|England:London|Ireland:Dublin|Scotland:Edinburgh|Norway:Oslo
Sweden:Stockholm|Denmark:Copenhagen|Finland:Helsinki|Iceland:Reykjavik|Poland:Warsaw|Austria:Vienna|Hungary:Budapest|Greece:Athens
Belgium:Brussels|the Netherlands:Amsterdam|Switzerland:Bern|Russia:Moscow|Ukraine:Kyiv|Romania:Bucharest|Bulgaria:Sofia|Croatia:Zagreb
Serbia:Belgrade|Slovakia:Bratislava|Slovenia:Ljubljana|Estonia:Tallinn|Latvia:Riga|Lithuania:Vilnius|Albania:Tirana|Malta:Valletta
Wales:Cardiff|Monaco:Monaco|Belarus:Minsk|Moldova:Chisinau|Cyprus:Nicosia|the Czech Republic:Prague""",
    "Asia": """Turkey:Ankara|China:Beijing|Japan:Tokyo|India:New Delhi|South Korea:Seoul|North Korea:Pyongyang|Thailand:Bangkok|Vietnam:Hanoi
Indonesia:Jakarta|Malaysia:Kuala Lumpur|the Philippines:Manila|Nepal:Kathmandu|Pakistan:Islamabad|Bangladesh:Dhaka|Iran:Tehran|Iraq:Baghdad
Saudi Arabia:Riyadh|Jordan:Amman|Lebanon:Beirut|Syria:Damascus|Mongolia:Ulaanbaatar|Cambodia:Phnom Penh|Laos:Vientiane|Afghanistan:Kabul
Uzbekistan:Tashkent|Armenia:Yerevan|Georgia:Tbilisi|Azerbaijan:Baku|Qatar:Doha|Oman:Muscat|Bhutan:Thimphu|Singapore:Singapore""",
    "Africa": """Egypt:Cairo|Morocco:Rabat|Algeria:Algiers|Tunisia:Tunis|Libya:Tripoli|Kenya:Nairobi|Ethiopia:Addis Ababa|Nigeria:Abuja|Ghana:Accra
Senegal:Dakar|Mali:Bamako|Uganda:Kampala|Rwanda:Kigali|Tanzania:Dodoma|Angola:Luanda|Zambia:Lusaka|Zimbabwe:Harare|Mozambique:Maputo
Madagascar:Antananarivo|Sudan:Khartoum|Somalia:Mogadishu|Namibia:Windhoek|Botswana:Gaborone|Cameroon:Yaounde|Chad:N'Djamena|Niger:Niamey""",
    "America": """Canada:Ottawa|Mexico:Mexico City|Cuba:Havana|Jamaica:Kingston|Brazil:Brasilia|Argentina:Buenos Aires|Chile:Santiago|Peru:Lima
Colombia:Bogota|Venezuela:Caracas|Ecuador:Quito|Uruguay:Montevideo|Paraguay:Asuncion|Bolivia:Sucre|Panama:Panama City|Costa Rica:San Jose
Guatemala:Guatemala City|Honduras:Tegucigalpa|Nicaragua:Managua|the United States:Washington|Haiti:Port-au-Prince""",
    "Oceania": "Australia:Canberra|New Zealand:Wellington|Fiji:Suva|Samoa:Apia|Tonga:Nuku'alofa",
}

CAPITALS: dict[str, str] = {}
CONTINENTS: dict[str, str] = {}
for _continent, _rows in ATLAS.items():
    for _row in _rows.replace("\n", "|").split("|"):
        _country, _capital = _row.split(":")
        CAPITALS[_country] = _capital
        CONTINENTS[_country] = _continent
